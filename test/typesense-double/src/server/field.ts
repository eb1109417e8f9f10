/** A field as the server describes it. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly facet: boolean
  readonly index: boolean
  readonly infix: boolean
  readonly locale: string
  readonly optional: boolean
  readonly sort: boolean
  readonly stem: boolean
  readonly stem_dictionary: string
  readonly store: boolean
  /** For this field only, instead of the collection's. */
  readonly token_separators?: readonly string[]
  readonly symbols_to_index?: readonly string[]
  readonly range_index?: boolean
  readonly num_dim?: number
  readonly vec_dist?: string
  readonly hnsw_params?: { readonly M: number; readonly ef_construction: number }
}

/** Whether the field holds texts. */
export const isText = (field: Field) => field.type === 'string' || field.type === 'string[]'
/** Whether the field holds vectors. */
export const isVector = (field: Field) => field.type === 'float[]' && field.num_dim !== undefined
/** Whether the field holds numbers. */
export const isNumber = (field: Field) => /^(?:int32|int64|float)/.test(field.type)
