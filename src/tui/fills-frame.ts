/** Bucketed history begins up to an hour inside its window. */
const NEARLY = 0.95;

/** Whether a history of `sec` seconds is, as good as that is known, all of a time frame of `frameSec`. */
export const fillsFrame = (sec: number, frameSec: number): boolean => sec >= frameSec * NEARLY;
