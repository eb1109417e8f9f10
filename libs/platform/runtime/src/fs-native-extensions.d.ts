declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on the open file without waiting; false where another open file holds one. */
  export function tryLock(fileDescriptor: number): boolean
}
