"""Facts as AWS answers them: what it says today, beside what the package's data files say."""
