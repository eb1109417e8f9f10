import { describe, expect, it } from 'vitest'
import { type Difference, renderDiff } from './diff.ts'
import { createPainter } from './print.ts'

const PLAIN = createPainter(false)

const difference = (more: Partial<Difference>): Difference => ({
  id: 'note:1',
  from: 1,
  to: 2,
  fromRecordedAt: '2026-05-01T12:00:00.000Z',
  toRecordedAt: '2026-05-02T12:00:00.000Z',
  changed: [],
  text: [{ change: 'SAME', text: 'the launch' }],
  ...more,
})

describe('a difference for people (capability 16)', () => {
  it('shows fields with both values, and the words of the text', () => {
    const rendered = renderDiff(
      difference({
        changed: [
          { field: 'labels', before: ['plan'], after: [] },
          { field: 'content.text', before: 'Friday'.repeat(20), after: 'Monday' },
          { field: 'context', before: null, after: 'shop' },
        ],
        text: [
          { change: 'SAME', text: `${'far away '.repeat(40)}on ` },
          { change: 'REMOVED', text: 'Friday' },
          { change: 'ADDED', text: 'Monday\u001B[31m' },
        ],
      }),
      PLAIN,
    )
    expect(rendered).toContain('note:1  version 1 → 2')
    expect(rendered).toContain('labels: ["plan"] → []\ncontent.text: changed\ncontext: (none) → shop')
    expect(rendered).toMatch(/ … .{60,90}on \[-Friday-\]\{\+Monday\+\}$/u)
  })

  it('says so if nothing differs, and shows no text if only fields do', () => {
    expect(renderDiff(difference({}), PLAIN)).toMatch(/The two versions say the same\.$/u)
    const changed = [{ field: 'importance', before: 5, after: 9 }]
    expect(renderDiff(difference({ changed }), PLAIN)).toMatch(/importance: 5 → 9$/u)
  })
})
