/** What the doctor looked at. */
export interface DoctorSubject {
  /** For people: `gas.example.org`, `seed 1`. */
  readonly name: string;
  /** Scheme, host and port; `null`: a service in this process. */
  readonly origin: string | null;
  /** A key was sent; which one is told nowhere. */
  readonly withKey: boolean;
}
