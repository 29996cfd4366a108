// Certificates of their own for tests, in a folder of their own.

import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface KeyPairFiles {
  readonly certificate: string;
  readonly key: string;
}

export class KeyPairFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'herald-tls-'));

  /** A certificate of the name, signed by itself. */
  make(name: string): KeyPairFiles {
    const files = { certificate: join(this.path, `${name}.crt`), key: join(this.path, `${name}.key`) };
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const out = ['-keyout', files.key, '-out', files.certificate];
    execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...out], { stdio: 'ignore' });
    return files;
  }

  /** Files with the content of the pair, to be replaced later. */
  async copy(name: string, from: KeyPairFiles): Promise<KeyPairFiles> {
    const files = { certificate: join(this.path, `${name}.crt`), key: join(this.path, `${name}.key`) };
    await replace(files, from);
    return files;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

export async function replace(files: KeyPairFiles, from: KeyPairFiles): Promise<void> {
  await copyFile(from.certificate, files.certificate);
  await copyFile(from.key, files.key);
}
