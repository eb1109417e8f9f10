/** What an erasure cannot reach, said in every answer. */
export const OUT_OF_REACH: readonly string[] = [
  'exports and backups that were made before, and other Daybooks that imported them',
  'what agents and programs have read and kept',
  'the database’s write-ahead log and free space, on this machine and on replicas, until they are written over: "vacuum full" and a checkpoint do that at once',
]
