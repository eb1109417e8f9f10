declare module 'wink-porter2-stemmer' {
  /** @param word in lower case */
  const stem: (word: string) => string
  export default stem
}
