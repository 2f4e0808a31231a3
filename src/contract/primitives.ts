import * as z from 'zod';
import { TIME_FRAMES } from './choices.ts';

/** Price per gas in wei, as a JSON integer. */
export const Wei = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** ISO 8601 in UTC with `Z`. */
export const Timestamp = z.iso.datetime();

/** A share, 0 to 1. */
export const Ratio = z.number().min(0).max(1);

/** Seconds, not negative. */
export const Seconds = z.number().min(0);

export const BlockNumber = z.int().min(0);

export const TimeFrame = z.enum(TIME_FRAMES);
export type TimeFrame = z.infer<typeof TimeFrame>;
