/**
 * The cluster's own certificate authority and what it signs, made by the openssl program.
 *
 * In: a folder, and for each certificate its subject, names and uses. Out: PEM files NAME.crt and NAME.key there, keys
 * readable by root only. Keys are P-256, valid for a year: a lab does not live longer.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';

export interface Subject {
  readonly name: string;
  readonly commonName: string;
  readonly organization?: string;
  /** As openssl writes them: IP:10.96.0.1, DNS:kubernetes. */
  readonly alternativeNames?: readonly string[];
}

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const SERVICE_ACCOUNT = 'service-account';
const VALID_DAYS = '365';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export class CertificateAuthority {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async create(directory: string): Promise<CertificateAuthority> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const authority = new CertificateAuthority(directory);
    const extensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
    await authority.#openssl('ca', '/CN=lab-ca', extensions, []);
    await authority.sign({ name: SERVICE_ACCOUNT, commonName: SERVICE_ACCOUNT });
    return authority;
  }

  get certificate(): string {
    return this.pair('ca').certificate;
  }

  pair(name: string): KeyPair {
    return { certificate: join(this.#directory, `${name}.crt`), key: join(this.#directory, `${name}.key`) };
  }

  /** Tokens are signed with its key and checked with its certificate's. */
  get serviceAccounts(): KeyPair {
    return this.pair(SERVICE_ACCOUNT);
  }

  async sign(subject: Subject): Promise<KeyPair> {
    const { certificate, key } = this.pair('ca');
    await this.#openssl(subject.name, distinguishedName(subject), leafExtensions(subject), [
      '-CA',
      certificate,
      '-CAkey',
      key,
    ]);
    return this.pair(subject.name);
  }

  async #openssl(
    name: string,
    subject: string,
    extensions: readonly string[],
    signer: readonly string[],
  ): Promise<void> {
    const { certificate, key } = this.pair(name);
    const files = ['-keyout', key, '-out', certificate];
    const added = extensions.flatMap((extension) => ['-addext', extension]);
    await run([
      'openssl',
      'req',
      '-x509',
      '-config',
      '/dev/null',
      ...NEW_KEY,
      ...files,
      ...signer,
      '-days',
      VALID_DAYS,
      '-subj',
      subject,
      ...added,
    ]);
  }
}

function distinguishedName(subject: Subject): string {
  const organization = subject.organization === undefined ? '' : `/O=${subject.organization}`;
  return `${organization}/CN=${subject.commonName}`;
}

function leafExtensions(subject: Subject): string[] {
  const names = subject.alternativeNames ?? [];
  return [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    'extendedKeyUsage=clientAuth,serverAuth',
    ...(names.length === 0 ? [] : [`subjectAltName=${names.join(',')}`]),
  ];
}
