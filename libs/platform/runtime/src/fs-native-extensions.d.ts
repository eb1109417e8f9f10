declare module 'fs-native-extensions' {
  /**
   * Takes a lock on the open file without waiting, exclusive unless `shared`; false where another open file
   * holds one that excludes it.
   */
  export function tryLock(fileDescriptor: number, options?: { readonly shared?: boolean }): boolean
}
