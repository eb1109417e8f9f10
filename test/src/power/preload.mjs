// Loaded into every process of a daemon; only the embedded database's gets a disk that forgets.
if (/embedded-postgres\.js$|embedded[\\/]child\.ts$/u.test(process.argv[1] ?? '')) {
  await import(process.env.DAYBOOK_TEST_POWER_BUNDLE)
}
