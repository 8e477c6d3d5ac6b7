// Encodes WebSocket frames (RFC 6455, section 5.2), so that a frame for many clients is encoded once. Servers do not mask frames.

const TEXT_FINAL = 0x81

/** Encodes a text as one unmasked frame. */
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

/** The text of a frame that `textFrame` encoded, as UTF-8. */
export function payloadOf(frame: Buffer): Buffer {
  const length = frame[1] ?? 0
  return frame.subarray(length < 126 ? 2 : length === 126 ? 4 : 10)
}
