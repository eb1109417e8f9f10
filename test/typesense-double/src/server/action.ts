/** What a write does if the document exists, and if it does not. */
export type Action = 'create' | 'upsert' | 'update' | 'emplace'
