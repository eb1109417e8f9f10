/** Whether filters stand beside what they filter, and not above it, folded. As in `search.css`. */
export const isWide = (): boolean => matchMedia('(min-width: 60rem)').matches
