"""AI infrastructure: lists that are added to, changed and taken from, and a test call (SURF-4, INFRA-1)."""

from datetime import UTC, datetime, time
from typing import Any

from playwright.async_api import Locator, expect

from tests.console.browser import Visitor
from weft.llm.scripted import Answer, ScriptedVendor

EXACTLY = ("Input", "输入", "Output", "输出", "Key", "密钥", "Name", "名称")


async def test_a_vendor_is_added_part_by_part_called_and_removed(bo: Visitor, script: ScriptedVendor) -> None:
    """SURF-4, INFRA-1: vendors, keys that are written and never read, endpoints, models, prices, a test call."""
    name = f"shop-{bo.case}"
    await _add(bo, "vendors", **{bo.of("Name", "名称"): name})
    await bo.shot("vendors")
    await _add(bo, "endpoints", vendor=name, **{bo.of("Address", "地址"): script.base_url})
    await _add(bo, "models", vendor=name, **{bo.of("Model", "模型"): "scripted"})
    await bo.shot("models")
    await _add(bo, "keys", vendor=name, **{bo.of("Key", "密钥"): "sk-never-shown-again-1234"})
    await expect(_row(bo, name)).to_contain_text("1234")
    assert "never-shown" not in await bo.page.content()
    await bo.shot("keys")
    await _add(bo, "prices", model=f"{name}/scripted", **_rates(bo))
    await bo.shot("prices")
    await _calls(bo, f"{name}/scripted", script)
    await bo.go("infra/vendors")
    row = _row(bo, name)
    await row.get_by_role("button", name=bo.of("Disable", "停用")).click()
    await expect(row.get_by_role("button", name=bo.of("Enable", "启用"))).to_be_visible()
    await row.get_by_role("button", name=bo.of(f"Remove {name}", f"移除 {name}")).click()
    await bo.page.get_by_role("dialog").get_by_role("button", name=bo.of("Delete", "删除"), exact=True).click()
    await expect(row).to_have_count(0)


async def _calls(bo: Visitor, model: str, script: ScriptedVendor) -> None:
    script.enqueue(Answer("Hello from the shop."))
    await bo.go("infra/test")
    await bo.page.get_by_label(bo.of("Model", "模型")).fill(model)
    await bo.button("Call the model", "调用模型").click()
    result = bo.page.get_by_role("status").filter(has_text="Hello from the shop.")
    await expect(result).to_contain_text("¥0.000089")  # 31 tokens at 2 and 9 at 3, each per million
    await bo.shot("test-call")


async def test_a_price_holds_from_the_servers_day_on(bo: Visitor) -> None:
    """SURF-4, LED-8: where the reader's day has begun and that of the ledger has not, today is the ledger's."""
    today = datetime.now(UTC).date()
    await bo.page.clock.install(time=datetime.combine(today, time(20), UTC))  # tomorrow in Shanghai
    await bo.go("infra/prices")
    await bo.button("Add", "添加").click()
    assert await bo.page.evaluate("new Date().getDate()") != today.day
    await expect(bo.page.get_by_label(bo.of("Valid from", "生效日期"))).to_have_value(today.isoformat())


async def test_what_is_there_is_changed(bo: Visitor) -> None:
    """SURF-4, INFRA-1: an endpoint moves, a key gets limits and keeps its secret, a price is corrected."""
    name = f"works-{bo.case}"
    await _add(bo, "vendors", **{bo.of("Name", "名称"): name})
    await _add(bo, "endpoints", vendor=name, **{bo.of("Address", "地址"): "http://127.0.0.1:9/old"})
    await _edit(bo, name, **{bo.of("Address", "地址"): "http://127.0.0.1:9/new"})
    await expect(_row(bo, name)).to_contain_text("/new")
    await _add(bo, "keys", vendor=name, **{bo.of("Key", "密钥"): "sk-kept-when-limits-change-5678"})
    await _edit(bo, name, **{bo.of("Calls per minute", "每分钟调用"): "7"})
    await expect(_row(bo, name)).to_contain_text("7/")
    await expect(_row(bo, name)).to_contain_text("5678")
    await _add(bo, "models", vendor=name, **{bo.of("Model", "模型"): "m"})
    await _edit(bo, name, **{bo.of("Context window", "上下文窗口"): "4096"})
    await expect(_row(bo, name)).to_contain_text("4,096")
    await _add(bo, "prices", model=f"{name}/m", **_rates(bo))
    await _edit(bo, name, **{bo.of("Output", "输出"): "4"})
    price = next(each for each in (await bo.api("GET", "/api/infra/prices"))["items"] if each["model"] == f"{name}/m")
    assert (float(price["input"]), float(price["output"]), price["source"]) == (2, 4, "a test")


async def test_what_is_refused_stands_at_its_field(bo: Visitor) -> None:
    """SURF-4, INFRA-1: an address that is none changes nothing, and the dialog says why."""
    before = await bo.api("GET", "/api/infra/endpoints")
    await bo.go("infra/endpoints")
    await bo.button("Add", "添加").click()
    dialog = bo.page.get_by_role("dialog")
    await dialog.get_by_label(bo.of("Vendor", "厂商")).select_option("deepseek")
    await dialog.get_by_label(bo.of("Address", "地址")).fill("no address")
    await dialog.get_by_role("button", name=bo.of("Save", "保存")).click()
    await expect(dialog.locator(".wrong")).to_contain_text("https://api.deepseek.com/v1")
    await bo.shot("endpoint-refused")
    assert await bo.api("GET", "/api/infra/endpoints") == before


def _rates(bo: Visitor) -> dict[str, str]:
    return {
        bo.of("Input", "输入"): "2",
        bo.of("Output", "输出"): "3",
        bo.of("Where this price is", "价格出处"): "a test",
    }


def _row(bo: Visitor, name: str) -> Locator:
    return bo.page.locator("tbody tr", has_text=name)


async def _add(bo: Visitor, to: str, vendor: str = "", model: str = "", **fields: Any) -> None:
    await bo.go(f"infra/{to}")
    await bo.button("Add", "添加").click()
    dialog = bo.page.get_by_role("dialog")
    if vendor:
        await dialog.get_by_label(bo.of("Vendor", "厂商")).select_option(vendor)
    if model:
        await dialog.get_by_label(bo.of("Model", "模型")).select_option(model)
    await _save(bo, dialog, fields)
    await expect(_row(bo, vendor or model or next(iter(fields.values())))).to_be_visible()


async def _edit(bo: Visitor, name: str, **fields: Any) -> None:
    await _row(bo, name).get_by_role("button", name=bo.of("Edit", "编辑")).click()
    await _save(bo, bo.page.get_by_role("dialog"), fields)


async def _save(bo: Visitor, dialog: Locator, fields: dict[str, Any]) -> None:
    for label, value in fields.items():
        await dialog.get_by_label(label, exact=label in EXACTLY).fill(value)
    await dialog.get_by_role("button", name=bo.of("Save", "保存")).click()
    await expect(dialog).to_have_count(0)
