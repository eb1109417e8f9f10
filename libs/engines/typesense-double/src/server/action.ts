/** What a write does where the document is there, and where it is not. */
export type Action = 'create' | 'upsert' | 'update' | 'emplace'
