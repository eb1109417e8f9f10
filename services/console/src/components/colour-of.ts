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
