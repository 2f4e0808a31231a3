import * as z from 'zod';
import { MOST_GWEI } from './choices.ts';

/** Gwei with at most 9 decimals, so that it is a whole number of wei, but for what a double cannot say. */
export const isWholeWei = (gwei: number): boolean => {
  const wei = gwei * 1e9;
  return Math.abs(wei - Math.round(wei)) <= Math.abs(wei) * Number.EPSILON;
};

/** A price per gas that people enter, in gwei: more than nothing, a whole number of wei. */
export const PriceGwei = z.number().gt(0).max(MOST_GWEI).refine(isWholeWei, 'must have at most 9 decimals');
