// SPDX-License-Identifier: Apache-2.0
// Looks at the devices that are there and takes those that fit.
#include "choose_chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "device/runtime.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

constexpr const char* kBackend = "cuda";

// A device that is there, with its card or why it has none.
struct Found {
  int index = 0;
  std::string name;
  Result<std::string> card;
  [[nodiscard]] std::string says() const { return fmt::format("device {} ({})", index, name); }
};

Result<std::string> card_of(const device::Description& device) {
  KGB_TRY(const Installation installation, find_installation());
  KGB_TRY(const std::vector<ChipCard> chips,
          Catalogue::load_chips(installation.home / "catalogue", installation.more_catalogues));
  for (const ChipCard& chip : chips)
    if (chip.kind == "chip" && chip.device_name == device.name) return chip.name;
  return user_error("no chip card in catalogue/chips has device_name = " + in_quotes(device.name) +
                    ". Write one as docs/design.md says, or use --chip cpu");
}

Result<std::vector<int>> wanted_of(const std::vector<int>& numbers, int count) {
  std::vector<int> wanted(static_cast<std::size_t>(count));
  std::iota(wanted.begin(), wanted.end(), 0);
  if (numbers.empty()) return wanted;
  wanted.clear();
  for (const int number : numbers) {
    if (number >= count)
      return user_error(count == 1 ? fmt::format("--devices {}: there is one device here, number 0", number)
                                   : fmt::format("--devices {}: there are {} devices here, numbers 0 to {}",
                                                 number, count, count - 1));
    if (std::find(wanted.begin(), wanted.end(), number) == wanted.end()) wanted.push_back(number);
  }
  return wanted;
}

// Devices that do not answer are left out where nobody named them.
Result<std::vector<Found>> look(const std::vector<int>& wanted, bool named,
                                std::vector<std::string>& left_out) {
  std::vector<Found> found;
  std::optional<Error> first;
  for (const int index : wanted) {
    const Result<device::Description> told = device::describe_device(kBackend, index);
    if (told.ok()) {
      found.push_back({index, told->name, card_of(*told)});
      continue;
    }
    if (named) return told.error();
    if (!first) first = told.error();
    left_out.push_back(fmt::format("device {} is left out: {}", index, told.error().message));
  }
  if (found.empty()) return first ? *first : host_error("the driver shows no device");
  return found;
}

Result<std::vector<Found>> found_devices(const std::vector<int>& numbers,
                                         std::vector<std::string>& left_out) {
  KGB_TRY(const int count, device::count_devices(kBackend));
  KGB_TRY(const std::vector<int> wanted, wanted_of(numbers, count));
  return look(wanted, !numbers.empty(), left_out);
}

}  // namespace

Result<ChosenChip> choose_chip(const std::string& name, const std::vector<int>& numbers) {
  const bool named = !numbers.empty();
  if (name == "cpu" && named)
    return user_error("--devices names GPUs, and --chip cpu is the virtual machine. Leave one of them out");
  if (name == "cpu") return ChosenChip{};
  const bool any = name == "auto" || name == "nvidia";
  ChosenChip chosen;
  const Result<std::vector<Found>> all = found_devices(numbers, chosen.left_out);
  if (!all.ok() && name == "auto" && !named) return ChosenChip{};
  if (!all.ok() && all.error().fault == Fault::user) return all.error();
  if (!all.ok())
    return user_error("chip " + in_quotes(name) + " cannot be judged on here: " + all.error().message);
  // The first whose card fits decides; several kinds are no one chip.
  const auto first = std::find_if(all->begin(), all->end(), [&](const Found& found) {
    return found.card.ok() && (any || *found.card == name);
  });
  if (first == all->end()) {
    const Result<std::string>& card = all->front().card;
    if (name == "auto" && !named) return ChosenChip{};
    if (!card.ok()) return card.error();
    return user_error("chip " + in_quotes(name) + " is not in this machine, which has " + in_quotes(*card) +
                      ". Use --chip auto, nvidia, " + *card + " or cpu");
  }
  chosen.card = *first->card;
  for (const Found& found : *all) {
    if (found.card.ok() && *found.card == chosen.card) {
      chosen.devices.push_back({kBackend, found.index});
      continue;
    }
    const std::string why = found.says() + " is no " + in_quotes(chosen.card);
    if (named) return user_error("--devices: " + why + ". One command judges on one kind of device");
    chosen.left_out.push_back(why + " and is left out. Judge on it with --devices " +
                              std::to_string(found.index));
  }
  return chosen;
}

}  // namespace kgb::app
