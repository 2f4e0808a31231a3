/** The released version, inserted by the build. */
export const VERSION: string = process.env.GASTOP_VERSION ?? '0.0.0-source';
