// Hides neighbour passwords in any text that may leave this package: log lines, error messages, what
// vtysh says about a line. It decides by the configuration grammar (everything after the word
// `password`), not by a list of known secrets, so that it also hides a secret that is no longer in use.

const PASSWORD = /\b(password\s+)[^\r\n]+/g;

const MASK = '********';

export function maskSecrets(text: string): string {
  return text.replace(PASSWORD, `$1${MASK}`);
}
