// The server sent something that is no list or watch. What was missed is unknown, so the collection has to
// be listed again.

export class MalformedStream extends Error {
  override readonly name = 'MalformedStream';
}
