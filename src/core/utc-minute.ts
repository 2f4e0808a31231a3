/** `2026-12-01 22:00 UTC` of ms since epoch. */
export const utcMinute = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
