/** How a recording is played: seconds of it per second. */
export interface Playback {
  /** 0: it is paused. */
  readonly speed: number;
  /** From now on at `speed`, 0 to {@link FASTEST}. */
  play(speed: number): void;
  /** Moves on by seconds of the recording, or back by negative ones: at most to its ends. */
  seek(sec: number): void;
}

/** A faster one would hand over more blocks than anybody can follow. */
export const FASTEST = 100_000;

const SPEEDS = [0, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1_000, 3_000, 10_000, 30_000, FASTEST] as const;

/** The next of the usual speeds; at either end the same. */
export const stepSpeed = (speed: number, direction: 'slower' | 'faster'): number =>
  (direction === 'faster' ? SPEEDS.find((each) => each > speed) : SPEEDS.findLast((each) => each < speed)) ??
  speed;
