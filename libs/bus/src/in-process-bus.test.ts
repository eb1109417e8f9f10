import type { JournalEvent } from '@daybook/memory/events'
import { describe, expect, it } from 'vitest'
import { createInProcessBus } from './in-process-bus.ts'

const event = { sequence: 1 } as JournalEvent

describe('the bus of one process', () => {
  it('brings events to every listener until it leaves', () => {
    const bus = createInProcessBus()
    const heard: string[] = []
    const leave = bus.subscribe(({ projectId, events }) => heard.push(`one ${projectId} ${events.length}`))
    bus.subscribe(({ projectId }) => heard.push(`other ${projectId}`))
    void bus.publish('p', [event])
    leave()
    leave()
    void bus.publish('q', [event])
    expect(heard).toEqual(['one p 1', 'other p', 'other q'])
  })

  it('holds a listener that was given twice as two', () => {
    const bus = createInProcessBus()
    let times = 0
    const listener = () => {
      times += 1
    }
    const leave = bus.subscribe(listener)
    bus.subscribe(listener)
    void bus.publish('p', [event])
    leave()
    void bus.publish('p', [event])
    expect(times).toBe(3)
  })
})
