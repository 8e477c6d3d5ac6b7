// Frames of the WebSocket protocol as bytes, so that what goes to many is framed once (RFC 6455, section 5.2). Servers do not mask.

const TEXT_FINAL = 0x81

/** A text as one whole unmasked frame. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + length)
  frame[0] = TEXT_FINAL
  if (header === 2) frame[1] = length
  else if (header === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeUInt32BE(0, 2)
    frame.writeUInt32BE(length, 6)
  }
  frame.write(text, header)
  return frame
}
