/**
 * What the program, Ink included, is given as `string-width`, in one copy instead of six. That package takes 40 ms for its
 * segmenter and its list of emoji; most texts need neither, so it is evaluated for the first one that might.
 */
import type stringWidth from 'string-width';

/** All but characters of width 1 that join no other: ASCII, Latin letters, punctuation, arrows, operators, frames, dots. */
export const UNSURE = /[^ -~¡-¬®-ÿ‐-‧←-⋿─-◼⠀-⣿]/;

const width: typeof stringWidth = (text, options) =>
  UNSURE.test(text) ? require('../node_modules/string-width/index.js').default(text, options) : text.length;

export default width;
