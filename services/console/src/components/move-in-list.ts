/** The arrow keys go from title to title in a list; before the first is the search field. */
export function moveInList(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const titles = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-title]')]
  const entry = event.target instanceof Element ? event.target.closest('li') : null
  const next = titles.findIndex((title) => entry?.contains(title)) + step
  event.preventDefault()
  if (next < 0) document.querySelector<HTMLElement>('input[type="search"]')?.focus()
  else titles[next]?.focus()
}
