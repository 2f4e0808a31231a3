/** A file's text, embedded by the build and by the tests' own bundler. */
declare module '*?raw' {
  const text: string;
  export default text;
}
