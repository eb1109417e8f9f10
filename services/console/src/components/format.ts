/*
 * Amounts in the viewer's language. Formats are made once: that costs more than using them.
 */

const one = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })

/** A whole number: `12,481`. */
export const formatCount = (count: number): string => whole.format(count)

/** How many there are of something: `1 memory`, `12,481 memories`. @param several default: the word with an s */
export const formatCounted = (count: number, word: string, several = `${word}s`): string =>
  `${whole.format(count)} ${count === 1 ? word : several}`

/** A share as a whole percentage, rounded down: it is 100 % only at the end. @param share 0 to 1 */
export const formatShare = (share: number): string =>
  percent.format(Math.floor(Math.min(1, Math.max(0, share)) * 100) / 100)

const percent = new Intl.NumberFormat(undefined, { style: 'percent' })

/** How many each second: `7.5/s`, `1,204/s`. */
export const formatRate = (perSecond: number): string =>
  `${(perSecond < 10 ? one : whole).format(perSecond)}/s`

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size in the largest unit that fits: `1.2 MB`. A kilobyte is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTE_UNITS.length - 1)
  const unit = BYTE_UNITS[step] ?? 'byte'
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1_000 ** step)
}

const seconds = unitOf('second', 1)

const wholeSeconds = unitOf('second', 0)

const minutes = unitOf('minute', 0)

const hours = unitOf('hour', 0)

function unitOf(unit: string, maximumFractionDigits: number): Intl.NumberFormat {
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits,
  })
}

/** A duration in its two largest units: `0.4 sec`, `3 min 5 sec`, `2 hr 3 min`. */
export function formatDuration(length: number): string {
  if (length < 10) return seconds.format(length)
  const all = Math.round(length)
  if (all < 60) return wholeSeconds.format(all)
  const full = Math.floor(all / 60)
  return full < 60
    ? `${minutes.format(full)} ${wholeSeconds.format(all % 60)}`
    : `${hours.format(Math.floor(full / 60))} ${minutes.format(full % 60)}`
}

/** The type of an event in a word: `MemoryRevised` is `revised`. */
export const eventWord = (type: string): string => type.replace(/^Memory/u, '').toLowerCase()

/** The background that a class has now, as a canvas takes it: a canvas knows no custom properties. */
export function colourOf(className: string): string {
  const probe = document.createElement('span')
  probe.className = className
  probe.hidden = true
  document.body.append(probe)
  const { backgroundColor } = getComputedStyle(probe)
  probe.remove()
  return backgroundColor
}

/** The address of a memory's page, in the same project. @param id with or without its kind */
export const memoryAddress = (id: string): string => pageAddress(`/console/memory/${encodeURIComponent(id)}`)

/** The address of another page, in the same project. @param path `/console/journal` */
export function pageAddress(path: string, params: Readonly<Record<string, string | null>> = {}): string {
  const project = new URLSearchParams(location.search).get('project')
  const search = new URLSearchParams(
    Object.entries({ project, ...params }).filter((param): param is [string, string] => param[1] !== null),
  ).toString()
  return path + (search === '' ? '' : `?${search}`)
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }

/** Whether keys are letters of a text now, or are about a dialog. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null

/**
 * The arrow keys, j and k go from title to title in a list; above the first is the search field.
 * @param list default: the one that listens
 */
export function moveInList(
  event: KeyboardEvent & { readonly currentTarget: EventTarget | null },
  list = event.currentTarget as Element,
): void {
  const step = STEPS[event.key]
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
  const titles = [...list.querySelectorAll<HTMLElement>('[data-title]')]
  const entry = event.target instanceof Element ? event.target.closest('li') : null
  // From outside the list it goes on at the entry that is shown beside it.
  const at = titles.findIndex((title) =>
    list.contains(entry) ? entry?.contains(title) : title.ariaCurrent === 'true',
  )
  event.preventDefault()
  if (at + step >= 0) titles[at + step]?.focus()
  else if (event.key === 'ArrowUp') document.querySelector<HTMLElement>('input[type="search"]')?.focus()
}
