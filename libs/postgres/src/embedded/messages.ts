/** Messages of the embedded database's process to its parent. The parent sends only `'stop'`. */
export type ChildMessage =
  | { readonly type: 'serving' }
  | { readonly type: 'locked' }
  | { readonly type: 'failed'; readonly reason: string }
