// What Kubernetes allows as the name of most objects: an RFC 1123 subdomain.

export const OBJECT_NAME_LENGTH = 253;

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The length comes first: the pattern is only asked about what is bounded. */
export function isObjectName(text: string): boolean {
  return text.length <= OBJECT_NAME_LENGTH && OBJECT_NAME.test(text);
}
