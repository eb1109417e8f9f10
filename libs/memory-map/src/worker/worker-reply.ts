/** What the thread says: how far it is, from 0 to 1, and at its end x and y of each vector. */
export type WorkerReply =
  | { readonly type: 'progress'; readonly done: number }
  | { readonly type: 'placed'; readonly places: Float32Array }
