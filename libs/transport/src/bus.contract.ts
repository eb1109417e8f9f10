import { newId } from '@daybook/memory/id'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Bus, BusMessage } from './bus.ts'
import { noteEvent, noteEvents } from './testing/events.ts'

/** A bus implementation for the suite. */
export interface BusUnderTest {
  readonly name: string
  /** @returns a bus that shares its stream with no other test */
  open(): Promise<Bus>
}

/** Collects `project sequence`, one line per event: one message may bring several events. */
function recorder() {
  const lines: string[] = []
  return {
    lines,
    onMessage(news: BusMessage) {
      for (const { projectId, sequence } of news.events) lines.push(`${projectId} ${sequence}`)
    },
  }
}

const until = (lines: readonly string[], count: number) =>
  vi.waitUntil(() => lines.length >= count, { interval: 5 })

/** What every bus must do; the test of each implementation runs it. */
export function describeBus({ name, open }: BusUnderTest): void {
  describe(`${name} as a bus`, () => {
    let bus: Bus
    beforeAll(async () => {
      bus = await open()
    })
    afterAll(() => bus?.close())

    it('brings events whole and in order to every listener until it leaves', async () => {
      const [one, other] = [recorder(), recorder()]
      const news: BusMessage[] = []
      const leave = bus.subscribe(one.onMessage)
      bus.subscribe(other.onMessage)
      bus.subscribe((heard) => news.push(heard))
      const [p, q] = [newId(), newId()]
      const events = noteEvents(p, 1, 300)
      await bus.publish(p, events)
      await until(one.lines, 300)
      leave()
      leave()
      await bus.publish(q, [noteEvent(q, 1)])
      await until(other.lines, 301)
      expect(one.lines).toEqual(events.map(({ sequence }) => `${p} ${sequence}`))
      expect(other.lines).toEqual([...one.lines, `${q} 1`])
      const ofP = news.filter(({ projectId }) => projectId === p)
      expect(ofP.flatMap((heard) => heard.events)).toEqual(events)
      expect(ofP.map(({ sequence }) => sequence)).toEqual(ofP.map((heard) => heard.events.at(-1)?.sequence))
    })

    it('brings news of places without their events to listeners and groups', async () => {
      const heard: BusMessage[] = []
      const handled: BusMessage[] = []
      const joining = recorder()
      bus.subscribe((news) => heard.push(news))
      bus.consume('places', async (news) => {
        handled.push(news)
        joining.onMessage(news)
      })
      await joined(bus, [joining])
      const project = newId()
      const events = noteEvents(project, 1, 4)
      const places = events.map(({ data, ...envelope }) =>
        envelope.sequence === 2 ? { ...envelope, type: 'MemoryDreamt' } : { ...envelope, data },
      )
      await bus.publish(project, places)
      const of = (all: readonly BusMessage[]) => all.filter(({ projectId }) => projectId === project)
      await vi.waitUntil(() =>
        [heard, handled].every((all) => of(all).some(({ sequence }) => sequence === 4)),
      )
      for (const all of [heard, handled]) {
        expect(of(all)).toContainEqual({ projectId: project, sequence: 2, hash: events[1]?.hash, events: [] })
        expect(of(all).flatMap((news) => news.events)).toEqual(
          events.filter(({ sequence }) => sequence !== 2),
        )
      }
    })

    it('holds a listener that was given twice as two', async () => {
      const heard = recorder()
      const leave = bus.subscribe(heard.onMessage)
      bus.subscribe(heard.onMessage)
      const project = newId()
      await bus.publish(project, [noteEvent(project, 1)])
      await until(heard.lines, 2)
      leave()
      await bus.publish(project, [noteEvent(project, 2)])
      await until(heard.lines, 3)
      // The later event proves that nothing more came before it.
      await bus.publish(project, [noteEvent(project, 3)])
      await until(heard.lines, 4)
      expect(heard.lines).toEqual([1, 1, 2, 3].map((sequence) => `${project} ${sequence}`))
    })

    it('takes a publish of nothing', async () => {
      await expect(bus.publish(newId(), [])).resolves.toBeUndefined()
    })

    it('brings each news to one member of a group, and to every group', async () => {
      const [one, other, alone] = [recorder(), recorder(), recorder()]
      const join = (group: string, { onMessage }: ReturnType<typeof recorder>) =>
        bus.consume(group, async (news) => onMessage(news))
      const members = [join('shared', one), join('shared', other), join('alone', alone)]
      const both = () => [...one.lines, ...other.lines]
      const project = newId()
      await joined(bus, [one, other, alone])
      const wanted = Array.from({ length: 100 }, (_, index) => `${project} ${index + 1}`)
      for (const event of noteEvents(project, 1, 100)) await bus.publish(project, [event])
      const of = (lines: readonly string[]) => lines.filter((line) => line.startsWith(project))
      await vi.waitUntil(() => of(both()).length >= 100 && of(alone.lines).length >= 100)
      expect(of(both()).toSorted()).toEqual(wanted.toSorted())
      expect(of(alone.lines).toSorted()).toEqual(wanted.toSorted())
      await Promise.all(members.map((member) => member.stop()))
    })

    it('brings nothing more to a member that stopped, and goes on with the others', async () => {
      const [leaver, stayer] = [recorder(), recorder()]
      const leaving = bus.consume('left', async (news) => leaver.onMessage(news))
      const staying = bus.consume('left', async (news) => stayer.onMessage(news))
      await joined(bus, [leaver, stayer])
      await leaving.stop()
      await leaving.stop()
      const before = leaver.lines.length
      const project = newId()
      await bus.publish(project, noteEvents(project, 1, 20))
      const arrived = () => stayer.lines.filter((line) => line.startsWith(project))
      await vi.waitUntil(() => arrived().length === 20)
      expect(leaver.lines.length).toBe(before)
      await staying.stop()
    })

    it('forgets a project, and brings what others publish', async () => {
      const [gone, other] = [newId(), newId()]
      const heard = recorder()
      const leave = bus.subscribe(heard.onMessage)
      await bus.publish(gone, noteEvents(gone, 1, 3))
      await until(heard.lines, 3)
      await bus.forget(gone)
      await bus.forget(gone)
      await bus.publish(other, [noteEvent(other, 1)])
      await until(heard.lines, 4)
      expect(heard.lines.at(-1)).toBe(`${other} 1`)
      leave()
    })

    it('says that it takes events', async () => {
      await expect(bus.status()).resolves.toMatchObject({ problem: null })
    })

    it('is silent once it is closed', async () => {
      const closed = await open()
      const heard = recorder()
      closed.subscribe(heard.onMessage)
      closed.consume('closed', async (news) => heard.onMessage(news))
      await closed.close()
      const project = newId()
      // Refused or accepted: the bus may be open elsewhere.
      await closed.publish(project, [noteEvent(project, 1)]).catch(() => {})
      expect(heard.lines).toEqual([])
    })
  })
}

/** Publishes until each has heard something: on a server, joining takes a moment. */
async function joined(bus: Bus, recorders: readonly { readonly lines: readonly string[] }[]): Promise<void> {
  const probe = newId()
  for (let sequence = 1; recorders.some(({ lines }) => lines.length === 0); sequence += 1) {
    await bus.publish(probe, [noteEvent(probe, sequence)])
    await new Promise((turn) => setTimeout(turn, 5))
  }
}
