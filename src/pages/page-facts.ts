/** What pages tell of the server. */
export interface PageOptions {
  /** Null: there are none. */
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly signUp: 'open' | 'closed';
  /** New addresses must be confirmed with a link in a mail. */
  readonly verifies: boolean;
  /** There is a mail server; else messages are files. */
  readonly sendsMail: boolean;
  /** What one types into a robot, where the request does not tell: `http://192.168.1.20:3000`. */
  robotAddress(): string;
}
