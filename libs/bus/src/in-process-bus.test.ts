import type { JournalEvent } from '@daybook/memory/events'
import { describe, expect, it } from 'vitest'
import { createInProcessBus } from './in-process-bus.ts'

describe('the bus of one process', () => {
  it('brings events to every listener until it leaves', () => {
    const bus = createInProcessBus()
    const heard: string[] = []
    const leave = bus.subscribe((projectId, events) => heard.push(`one ${projectId} ${events.length}`))
    bus.subscribe((projectId) => heard.push(`other ${projectId}`))
    bus.publish('p', [{} as JournalEvent])
    leave()
    leave()
    bus.publish('q', [])
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
    bus.publish('p', [])
    leave()
    bus.publish('p', [])
    expect(times).toBe(3)
  })
})
