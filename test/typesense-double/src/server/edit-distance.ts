/**
 * The least number of insertions, deletions, replacements and swaps of neighbouring letters that turn `typed`
 * into `word`, or with `prefix` into a beginning of `word`. `limit + 1` if it exceeds `limit`.
 */
export function editDistance(typed: string, word: string, prefix: boolean, limit: number): number {
  if (Math.abs(typed.length - word.length) > limit && !(prefix && word.length > typed.length))
    return limit + 1
  let before: number[] = []
  let above = Array.from({ length: word.length + 1 }, (_, column) => column)
  for (let row = 1; row <= typed.length; row++) {
    const current = [row]
    for (let column = 1; column <= word.length; column++) {
      const same = typed[row - 1] === word[column - 1]
      let cost = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && typed[row - 1] === word[column - 2] && typed[row - 2] === word[column - 1])
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      current.push(cost)
    }
    if (Math.min(...current) > limit) return limit + 1
    before = above
    above = current
  }
  const distance = prefix ? Math.min(...above) : (above[word.length] ?? 0)
  return Math.min(distance, limit + 1)
}
