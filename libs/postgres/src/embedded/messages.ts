/** What the embedded database's process tells its parent. The parent says only `'stop'`. */
export type ChildMessage =
  | { readonly type: 'serving' }
  | { readonly type: 'locked' }
  | { readonly type: 'failed'; readonly reason: string }
