// Stands in the npm package for sharp, which transformers.js loads to read images: 19 MB that Daybook never uses.
export default function sharp() {
  throw new Error('The package daybook cannot read images')
}
