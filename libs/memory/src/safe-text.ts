/*
 * A memory's text is data, but a terminal would execute escape sequences in it: move the cursor, change
 * colours or the window's title, write to the clipboard. So everything from a memory or the daemon passes
 * through here before it is printed.
 */

// Whole escape sequences, so that no "[31m" stays behind: OSC, DCS, APC, PM and SOS strings up to their end,
// CSI with its parameters, and two-character sequences; each in its 7-bit and its 8-bit spelling.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/gu

// Other control characters except tab and line feed, and the marks that reverse the direction of text.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** The text without anything that a terminal would act on. Line feeds and tabs stay. */
export function safeText(text: string): string {
  return text.replace(/\r\n?/gu, '\n').replace(SEQUENCES, '').replace(CONTROLS, '')
}

/** The same on one line, with white space folded. */
export function safeLine(text: string): string {
  return safeText(text.replace(/[\u2028\u2029]/gu, ' '))
    .replace(/\s+/gu, ' ')
    .trim()
}
