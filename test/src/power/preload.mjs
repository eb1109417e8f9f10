// Loaded into every process of a daemon; only the embedded database's gets a disk that forgets.
if (/embedded-postgres\.js$|embedded[\\/]child\.ts$/u.test(process.argv[1] ?? '')) {
  const { register } = await import('tsx/esm/api')
  const unregister = register()
  await import('./die-of-a-power-cut.ts')
  await unregister()
}
