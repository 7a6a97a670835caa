import { createHmac, hash } from 'node:crypto';

export interface SigningCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface SigningScope {
  host: string;
  path: string;
  region: string;
  service: string;
  contentType?: string;
}

const CONTENT_TYPE = 'application/x-amz-json-1.0';

/** Caches the signing key of Signature Version 4 ("Create a signed AWS API request", IAM user guide). */
export class Signer {
  private second = 0;
  private time = '';
  private day = '';
  private key: Buffer = Buffer.alloc(0);

  constructor(
    private readonly credentials: SigningCredentials,
    private readonly scope: SigningScope,
  ) {}

  /** @param nowMs milliseconds since 1970, by the server's clock. */
  headers(target: string, body: string, nowMs: number): Record<string, string> {
    this.setTime(Math.floor(nowMs / 1000));
    // An empty `sessionToken`, as from an empty environment variable, counts as unset.
    const { accessKeyId, sessionToken } = this.credentials;
    const { host, path, region, service, contentType = CONTENT_TYPE } = this.scope;
    const token = !sessionToken ? '' : `x-amz-security-token:${sessionToken}\n`;
    const names = `content-type;host;x-amz-date;${!sessionToken ? '' : 'x-amz-security-token;'}x-amz-target`;
    const lines = `content-type:${contentType}\nhost:${host}\nx-amz-date:${this.time}\n${token}x-amz-target:${target}\n`;
    const request = `POST\n${path}\n\n${lines}\n${names}\n${hash('sha256', body)}`;
    const scope = `${this.day}/${region}/${service}/aws4_request`;
    const text = `AWS4-HMAC-SHA256\n${this.time}\n${scope}\n${hash('sha256', request)}`;
    const signature = createHmac('sha256', this.key).update(text).digest('hex');
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    const headers: Record<string, string> = {
      host,
      'content-type': contentType,
      'x-amz-target': target,
      'x-amz-date': this.time,
      authorization,
    };
    if (sessionToken) headers['x-amz-security-token'] = sessionToken;
    return headers;
  }

  private setTime(second: number): void {
    if (second === this.second) return;
    this.second = second;
    this.time = `${new Date(second * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
    const day = this.time.slice(0, 8);
    if (day === this.day) return;
    this.day = day;
    let key = Buffer.from(`AWS4${this.credentials.secretAccessKey}`);
    for (const part of [day, this.scope.region, this.scope.service, 'aws4_request']) {
      key = createHmac('sha256', key).update(part).digest();
    }
    this.key = key;
  }
}
