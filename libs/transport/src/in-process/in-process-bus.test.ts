import { describe, expect, it } from 'vitest'
import { describeBus } from '../bus.contract.ts'
import { noteEvents } from '../testing/events.ts'
import { createInProcessBus } from './in-process-bus.ts'

describeBus({ name: 'the bus of one process', open: async () => createInProcessBus() })

describe('the bus of one process', () => {
  it('brings what is published together as one news, before the publish is over', () => {
    const bus = createInProcessBus()
    const heard: number[] = []
    bus.subscribe(({ sequence, events }) => heard.push(sequence, events.length))
    void bus.publish('p', noteEvents('p', 3, 7))
    expect(heard).toEqual([7, 5])
  })

  it('brings news to everybody else where one receiver throws, and says so at the end', async () => {
    const bus = createInProcessBus()
    const fail = () => {
      throw new Error('a fault of one receiver')
    }
    const heard: string[] = []
    bus.subscribe(fail)
    bus.consume('one', fail)
    bus.subscribe(({ sequence }) => heard.push(`listener ${sequence}`))
    bus.consume('other', async ({ sequence }) => void heard.push(`group ${sequence}`))
    await expect(bus.publish('p', noteEvents('p', 1, 1))).rejects.toThrow('a fault of one receiver')
    expect(heard).toEqual(['listener 1', 'group 1'])
  })

  it('names no server', async () => {
    expect(await createInProcessBus().status()).toEqual({
      transport: 'process',
      problem: null,
      version: null,
      roundTripMs: null,
    })
  })

  it('does not send again what a member gives back', async () => {
    const bus = createInProcessBus()
    let times = 0
    bus.consume('group', async () => {
      times += 1
      throw new Error('not now')
    })
    await bus.publish('p', noteEvents('p', 1, 1))
    expect(times).toBe(1)
  })
})
