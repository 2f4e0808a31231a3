/** The mail server that alerts are sent through. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; without it the connection is upgraded (STARTTLS). */
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** An address, perhaps with a name: `gastop <gas@example.org>`. */
  readonly from: string;
  /** Whether nothing is sent without TLS and a certificate that holds. By default: unless the server is on this machine. */
  readonly requireTls?: boolean;
  /** Root certificates to trust instead of the usual ones, PEM. */
  readonly ca?: string;
}
