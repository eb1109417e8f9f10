import type { ComponentChildren } from 'preact'

/** How a state is meant: colour alone never says it, the words do. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'neutral'

/** A state in a word or two. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}
