package aws

import (
	"os"
	"time"
)

// refreshInterval is how often scaling groups are read anew. In the original it is a constant of a minute that no flag
// changes; where a loop runs faster than life, it must be shorter like all other intervals.
var refreshInterval = func() time.Duration {
	if given, err := time.ParseDuration(os.Getenv("CLUSTER_AUTOSCALER_AWS_REFRESH")); err == nil {
		return given
	}
	return time.Minute
}()
