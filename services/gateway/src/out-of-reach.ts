/** What an erasure cannot reach, said in every answer. docs/security.md says what to do about each. */
export const OUT_OF_REACH: readonly string[] = [
  'exports and backups that were made before; another Daybook that imported such an export loses the text when it imports one that is made now',
  'what agents and programs have read and kept',
  'names that are not part of a memory: idempotency keys, correlation ids, names of keys',
  'the free space of tables and the write-ahead log of a Postgres server, of its standbys and archives, until an administrator clears them; a vacuum does not. The embedded database clears its own within minutes, but for tables beyond 64 MiB and for vectors',
  'the log in Typesense’s data folder, until Typesense cuts it off',
  'disks and snapshots of them, which keep what is deleted until it is written over',
]
