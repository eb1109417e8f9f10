import { DEFAULT_MODEL, Q8_MODEL } from '@daybook/embeddings/models'
import { expect, it } from 'vitest'
import { floorOf } from './model-floors.ts'

it('a floor belongs to a model, with token bits or without, and no other has it', () => {
  expect(floorOf(DEFAULT_MODEL.modelId)).toMatchObject({ answer: 0.01 })
  expect(floorOf('all-MiniLM-L6-v2/fp32')).toEqual(floorOf(DEFAULT_MODEL.modelId))
  expect(floorOf(Q8_MODEL.modelId)).toEqual(floorOf(DEFAULT_MODEL.modelId))
  expect(floorOf('test-hash/64')).toBeNull()
})
