import * as z from 'zod';
import { NOTE_LONGEST } from './choices.ts';

/** `length` counts UTF-16 units; people count characters. */
const characters = (text: string) => [...text].length;

/** What people write for themselves. */
export const Note = z
  .string()
  .refine((text) => characters(text) <= NOTE_LONGEST, `must have at most ${NOTE_LONGEST} characters`);
